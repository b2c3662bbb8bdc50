'use strict';
// Elements, and numbers in words. Everything from the data is written as text, never as HTML.

const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
const one = (selector, root = document) => root.querySelector(selector);

const fill = (part, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) part.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined && value !== null) part.setAttribute(name, value === true ? '' : value);
  }
  part.append(...children.filter(child => child !== null && child !== undefined));
  return part;
};
const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const button = (text, action, attributes = {}) => make('button', { type: 'button', onclick: event => action(event.currentTarget), ...attributes }, text);

const whole = number => number.toLocaleString('en-US');
const counted = (number, name, many = name + 's') => whole(number) + ' ' + (number === 1 ? name : many);
/// Characters that cannot be seen, or turn the writing direction, are shown as replaced ones.
const visible = text => text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g, '\ufffd');

const shortId = id => (id.length > 200 ? id.slice(0, 200) + '…' : id);

/// What the page holds; null where it has no pairs.
const data = (() => {
  const element = one('#data');
  return element && JSON.parse(element.textContent);
})();
/// Of passages: the tokens of the longest.
const longest = data?.lengths ? data.pairs.reduce((most, pair) => Math.max(most, pair[2]), 1) : 1;
/// Cut, not rounded: nothing reads as if it reached a threshold that it does not reach.
const valueText = value => {
  if (value === null) return '?';
  if (data.lengths) return counted(value, 'token');
  if (!data.valued) return 'equal';
  return data.distance ? String(Number(value.toPrecision(6))) : String(Math.floor(value * 1e4 * (1 + 1e-12) + 1e-6) / 1e4);
};
/// From 0 to 1: how much of a bar a value fills. A distance fills more the smaller it is.
const share = value => {
  if (value === null || !data.valued) return 1;
  if (data.lengths) return Math.max(value / longest, 0.02);
  if (!data.distance) return Math.min(Math.max(value, 0), 1);
  return data.border > 0 ? Math.min(Math.max(1 - value / (data.border * 1.25), 0.02), 1) : 1;
};
const bar = value => draw('svg', { class: 'level', 'aria-hidden': 'true' }, draw('rect', { width: (100 * share(value)).toFixed(1) + '%', height: '100%' }));
