import { EditorView } from '@codemirror/view'

/**
 * Text over a selection goes in by a transaction. Left to the browser, it would write the style of what it replaces into an
 * attribute, which the policy forbids.
 */
export const overSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { from, to, empty } = view.state.selection.main
    if (empty || isComposing || inputType !== 'insertText' || data === null) return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    const isDone = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isDone) view.dispatch(insert())
    return true
  },
})

/** A list that scrolls can have the focus, as what scrolls must be within reach of keys. Until the returned function is called. */
export function keepListReachable(root: ShadowRoot): () => void {
  const observer = new MutationObserver(() => {
    root.querySelector('ul[role=listbox]:not([tabindex])')?.setAttribute('tabindex', '0')
  })
  observer.observe(root, { childList: true, subtree: true })
  return () => observer.disconnect()
}
