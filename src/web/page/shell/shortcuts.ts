import { signal } from '@preact/signals'

/** Actions by their keys: `j`, `?`, or two in a row as `g o`. */
type Actions = Record<string, () => void>

const flag = 'nines.keys'
const nextKeyWithinMs = 1000
const actions = new Set<Actions>()
let first = ''
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether single keys do something. Who uses speech to control the page has them off. */
export const areKeysOn = signal(localStorage.getItem(flag) !== 'off')

export function switchKeys(isOn: boolean): void {
  areKeysOn.value = isOn
  if (isOn) localStorage.removeItem(flag)
  else localStorage.setItem(flag, 'off')
}

/** Makes keys do something until the returned function is called: not while somebody types, nor in a dialog or a menu. */
export function onKeys(added: Actions): () => void {
  actions.add(added)
  return () => void actions.delete(added)
}

document.addEventListener('keydown', (event) => {
  if (!areKeysOn.peek() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (isTyping(event.composedPath()[0]) || document.querySelector('dialog[open], :popover-open')) return
  const keys = first === '' ? event.key : `${first} ${event.key}`
  forgetFirst()
  const action = [...actions].flatMap((some) => (Object.hasOwn(some, keys) ? [some[keys]] : []))[0]
  if (action) {
    event.preventDefault()
    action()
  } else if ([...actions].some((some) => Object.keys(some).some((name) => name.startsWith(`${keys} `)))) {
    first = keys
    timer = setTimeout(forgetFirst, nextKeyWithinMs)
  }
})

function forgetFirst(): void {
  clearTimeout(timer)
  first = ''
}

/** `target`: the first of the path of an event, which in a shadow root is not the target that the document sees. */
function isTyping(target: EventTarget | undefined): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
