import type { ResponseHead } from './errors.ts'

/** Marks a response as HTML. */
export function html(set: ResponseHead, page: string): string {
  set.headers['content-type'] = 'text/html; charset=utf-8'
  return page
}

/** Complete HTML page without script, for visitors who follow a link. `style`: URL of the style sheet, on this origin. */
export function htmlPage(title: string, content: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · nines</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
<main>
<p class="brand">nines</p>
${content}
</main>
</body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML content and quoted attributes. */
export function htmlText(value: string): string {
  return value.replace(/[&<>"']/g, (char) => entities[char] ?? char)
}
