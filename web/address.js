// Addresses of views: what is behind the # of the page's address, so that an item or a question can be sent to someone.

const kLongest = 1_500;  // characters of a text; longer ones have no address
const kNames = ['item', 'find', 'ask', 'text', 'border', 'limit', 'where', 'pair'];

/// The view that an address is of; null where it is of none.
export function viewOf(hash) {
  const given = new URLSearchParams(hash.slice(1)), view = {};
  for (const name of kNames) if (given.get(name)) view[name] = given.get(name);
  return view.item || view.find || view.ask || view.text ? view : null;
}

let shown = null;
/// True: the address is that of the view which the page put there itself.
export const isShown = () => location.hash === shown;

/// Puts a view in the address. A text that is too long takes out what is there, which is about something else.
export function showInAddress(view) {
  const said = new URLSearchParams();
  for (const name of kNames) if (view[name]) said.set(name, view[name]);
  const fits = (view.text ?? '').length <= kLongest;
  history.replaceState(null, '', fits ? '#' + said : location.pathname + location.search);
  shown = location.hash;
}
