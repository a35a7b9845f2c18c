import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The custom properties of the page also apply in the shadow root, so light and dark need nothing here. */
const look = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { font: '13px/20px var(--mono)', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '7px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeft: '2px solid var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--accent-bg)' },
  '.cm-selectionBackground': { background: 'var(--sunken)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-bg)',
    outline: '1px solid var(--accent)',
    borderRadius: '2px',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--crit-bg)' },
  '.cm-specialChar': { color: 'var(--crit)' },
  '.cm-placeholder': { color: 'var(--ink3)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--crit) 1.5px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn) 1.5px' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
    boxShadow: 'var(--shadow)',
    font: '13px/20px var(--font)',
    overflow: 'hidden',
    zIndex: '5',
  },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--crit)', marginLeft: '0' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: '13px/20px var(--mono)', maxHeight: '240px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    justifyContent: 'space-between',
    alignItems: 'baseline',
    gap: '16px',
    padding: '4px 10px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--ink)',
    background: 'var(--accent-bg)',
  },
  '.cm-completionLabel': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: 'var(--accent)' },
  '.cm-completionDetail': { margin: '0', color: 'var(--ink3)', font: '12px/20px var(--font)' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px', overflowWrap: 'anywhere' },
})

const code = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--ink3)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--ok)' },
  { tag: tags.labelName, color: 'var(--ink2)' },
  { tag: [tags.function(tags.variableName), tags.operatorKeyword], color: 'var(--accent)' },
  { tag: [tags.modifier, tags.logicOperator], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.operator, tags.arithmeticOperator, tags.paren, tags.squareBracket, tags.brace], color: 'var(--ink2)' },
])

/** Style of the editor, like the fields of the page. */
export const editorTheme = [look, syntaxHighlighting(code)]
