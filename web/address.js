// Addresses of views: what is behind the # of the page's address, so that an item or a question can be sent to someone.
import { Problem } from './served.js';

const kAsItIs = 1_500;        // characters of a text that an address has as it is; a longer text is compressed
const kLongest = 2_000_000;   // characters of a text that is compressed for an address
const kMostPacked = 60_000;   // characters of it then; browsers and mail programs cut longer addresses
const kNames = ['item', 'find', 'listed', 'ask', 'text', 'packed', 'border', 'limit', 'where', 'pair', 'show'];

const bytesThrough = async (data, change) => new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(change)).arrayBuffer());

/// The text, compressed, in those characters of base64 that have no meaning in an address.
async function pack(text) {
  const bytes = await bytesThrough(text, new CompressionStream('deflate-raw'));
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
async function unpack(packed) {
  try {
    if (packed.length > kMostPacked) throw new RangeError('longer than this page makes them');  // a few bytes can unpack to gigabytes
    const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await bytesThrough(Uint8Array.from(letters, letter => letter.charCodeAt(0)), new DecompressionStream('deflate-raw'));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(0, 'Address', 'the text in this address is damaged or incomplete; copy the whole address again');
  }
}

/// The view that an address is of; null where it is of none.
export async function viewOf(hash) {
  const given = new URLSearchParams(hash.slice(1)), view = {};
  for (const name of kNames) if (given.get(name)) view[name] = given.get(name);
  if (view.packed) {
    view.text = await unpack(view.packed);
    delete view.packed;
  }
  return view.item || view.find || view.listed || view.ask || view.text ? view : null;
}

let shown = null, latest = null;
/// True: the address is that of the view which the page put there itself.
export const isShown = () => location.hash === shown;

function put(view) {
  const said = new URLSearchParams();
  for (const name of kNames) if (view?.[name]) said.set(name, view[name]);
  history.replaceState(null, '', view === null ? location.pathname + location.search : '#' + said);
  shown = location.hash;
}

/// Puts a view in the address. A text that is too long takes out what is there, which is about something else.
export async function showInAddress(view) {
  latest = view;
  if ((view.text ?? '').length <= kAsItIs) return put(view);
  put(null);
  if (view.text.length > kLongest) return;
  const packed = await pack(view.text);
  if (latest === view && packed.length <= kMostPacked) put({ ...view, text: '', packed });
}
