import { EditorView } from '@codemirror/view'

/**
 * Inserts text over a selection by a transaction. The browser itself would copy the style of the replaced text into an
 * attribute, which the content security policy forbids.
 */
export const typeOverSelection = EditorView.domEventHandlers({
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

/**
 * Makes the scrolling completion list focusable, because scrollable areas must be reachable by keyboard. Returns a function
 * that ends this.
 */
export function keepListReachable(root: ShadowRoot): () => void {
  const observer = new MutationObserver(() => {
    root.querySelector('ul[role=listbox]:not([tabindex])')?.setAttribute('tabindex', '0')
  })
  observer.observe(root, { childList: true, subtree: true })
  return () => observer.disconnect()
}
