'use strict';
// Elements, and numbers in words, for the page of a run and for that of the server. Everything from the data is written as text, never as HTML.

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
