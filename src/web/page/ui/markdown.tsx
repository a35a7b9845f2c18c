import type { ComponentChildren } from 'preact'
import { type Block, type Inline, readMarkdown } from './markdown.ts'

/** Text of people as Markdown. It becomes elements of the page, never HTML. */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{readMarkdown(text).map(block)}</div>
}

function block(of: Block): ComponentChildren {
  if (of.kind === 'heading') return of.level === 1 ? <h3>{of.of.map(inline)}</h3> : <h4>{of.of.map(inline)}</h4>
  if (of.kind === 'code') return <pre tabIndex={0}>{of.text}</pre>
  if (of.kind === 'quote') return <blockquote>{of.of.map(block)}</blockquote>
  if (of.kind === 'paragraph') return <p>{of.lines.flatMap((line, at) => [at > 0 && <br />, ...line.map(inline)])}</p>
  const List = of.isOrdered ? 'ol' : 'ul'
  return (
    <List>
      {of.items.map((item) => (
        <li>{item.map(inline)}</li>
      ))}
    </List>
  )
}

function inline(of: Inline): ComponentChildren {
  if (of.kind === 'text') return of.text
  if (of.kind === 'code') return <code>{of.text}</code>
  if (of.kind === 'strong') return <strong>{of.of.map(inline)}</strong>
  if (of.kind === 'em') return <em>{of.of.map(inline)}</em>
  return (
    <a href={of.href} target="_blank" rel="noreferrer nofollow">
      {of.of.map(inline)}
    </a>
  )
}
