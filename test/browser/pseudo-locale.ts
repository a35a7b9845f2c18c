import type { BrowserContext, Page } from 'playwright-core'

/** Accented forms of letters, all in the fonts of the page. */
const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = 'åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅɃÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'

/**
 * Makes the pages of a context show each text in its pseudo form, also where they change it later: words accented, and 1.4 times as
 * long. `names`, code, what is typed, pictures of charts and the title of the document stay. `pseudo` in the page gives that form.
 */
export async function inPseudoLocale(context: BrowserContext, names: readonly string[]): Promise<void> {
  const kept = `\\b(?:${names.join('|')})\\b|\\S*[\\d_@/=]\\S*|\\S+\\.\\w\\S*`
  const values = [plain, accented, kept].map((value) => JSON.stringify(value)).join(', ')
  await context.addInitScript({ content: `(${inEachPage})(${values})` })
}

/** A text in its pseudo form, for locators. */
export function pseudo(page: Page, text: string): Promise<string> {
  return page.evaluate<string>(`pseudo(${JSON.stringify(text)})`)
}

const inEachPage = `(plain, accented, kept) => {
  const shown = ['aria-label', 'placeholder', 'title', 'data-label']
  const isData = 'code, pre, script, style, textarea, [contenteditable], .mono'
  const parts = new RegExp('(' + kept + ')')
  const longer = (word) => [...word].map((letter) => accented[plain.indexOf(letter)] ?? letter).join('') + 'ẋ'.repeat(0.4 * word.length + 0.5)
  globalThis.pseudo = (text) =>
    text.split(parts).map((part, at) => (at % 2 === 1 ? part : part.replace(/\\p{L}+/gu, longer))).join('')
  const made = new WeakMap() // by node: what was written to it, so that it is not made longer again
  const rewrite = (node) => {
    const text = node.nodeValue
    if (text === null || made.get(node) === text || (node.ownerElement ?? node.parentElement)?.closest(isData)) return
    made.set(node, pseudo(text))
    if (made.get(node) !== text) node.nodeValue = made.get(node)
  }
  const attributes = (element) => shown.forEach((name) => element.hasAttribute(name) && rewrite(element.getAttributeNode(name)))
  const tree = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    for (let node = root; node; node = walker.nextNode()) node.nodeType === Node.TEXT_NODE ? rewrite(node) : attributes(node)
  }
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes, attributeName } of changes) {
      if (type === 'childList') addedNodes.forEach((node) => tree(node))
      else if (type === 'characterData') rewrite(target)
      else if (target.hasAttribute(attributeName)) rewrite(target.getAttributeNode(attributeName))
    }
  })
  document.addEventListener('DOMContentLoaded', () => {
    tree(document.body)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: shown })
  })
}`

/**
 * Texts that cannot be read: outside the window, cut off, beyond the edge of the box that is drawn around them, or over another text
 * or drawing, each with its elements. A text that ends in an ellipsis must keep a quarter of its width.
 */
export function unreadable(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${textsInPage})()`)
}

const textsInPage = `() => {
  const width = document.documentElement.clientWidth
  const nameOf = (element) => {
    const path = []
    for (let at = element; at && at !== document.body && path.length < 4; at = at.parentElement)
      path.unshift(at.tagName.toLowerCase() + [...at.classList].map((name) => '.' + name).join(''))
    return path.join(' > ')
  }
  const found = new Set()
  const seen = []
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  /** Adds what is wrong with a box of an element, and the box as far as it is visible to those that are seen. */
  const look = (element, rect, text, owner) => {
    let { left, right, top, bottom } = rect
    const problems = []
    let across = true, down = true, layer = null
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at)
      if (style.clipPath !== 'none') return
      if (style.display === 'inline' || style.display === 'contents') continue
      const box = at.getBoundingClientRect()
      const isCut = style.overflowX !== 'visible'
      const scrollsX = /auto|scroll/.test(style.overflowX) && at.scrollWidth > at.clientWidth
      const scrollsY = /auto|scroll/.test(style.overflowY) && at.scrollHeight > at.clientHeight
      const isDrawn = style.backgroundColor !== 'rgba(0, 0, 0, 0)' || parseFloat(style.borderLeftWidth) > 0
      across &&= !scrollsX
      down &&= !scrollsY
      const isEllipsis = style.textOverflow === 'ellipsis' && box.right - rect.left > 0.25 * rect.width
      const isClamped = style.webkitLineClamp !== 'none'
      if (isCut || isDrawn) {
        const isBeyond = (across && !isEllipsis && (left < box.left - 1 || right > box.right + 1)) || (down && !isClamped && (top < box.top - 4 || bottom > box.bottom + 4))
        if (isBeyond) problems.push((isCut ? 'cut off by ' : 'beyond the edge of ') + nameOf(at))
      }
      if (isCut) [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)]
      if (/fixed|sticky|absolute/.test(style.position)) layer ??= at
      if (style.position === 'fixed' || at.matches('dialog[open], :popover-open')) break
    }
    if (across && (left < -0.5 || right > width + 0.5)) problems.push('outside the window')
    const says = text === null ? nameOf(element) : '"' + text.trim().slice(0, 60) + '" ' + nameOf(element)
    if (text !== null) for (const problem of problems) found.add(problem + ': ' + says)
    for (const other of seen) {
      if (other.layer !== layer || other.owner === owner || other.owner.contains(owner)) continue
      if (text === null && other.text === null) continue
      const x = Math.min(right, other.right) - Math.max(left, other.left)
      const y = Math.min(bottom, other.bottom) - Math.max(top, other.top)
      if (x > 1 && y > 5) found.add('over ' + other.says + ': ' + says)
    }
    if (right > left && bottom > top) seen.push({ left, right, top, bottom, text, layer, owner, says })
  }
  for (const drawing of document.querySelectorAll('svg, canvas, progress, input, select')) if (isSeen(drawing)) look(drawing, drawing.getBoundingClientRect(), null, drawing)
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (node.nodeValue.trim() === '' || node.parentElement.closest('pre') || !isSeen(node.parentElement)) continue
    range.selectNodeContents(node)
    for (const line of range.getClientRects()) if (line.width > 0.5) look(node.parentElement, line, node.nodeValue, node)
  }
  return [...found]
}`
