/** The page around the reference. What it loads lies beside it, for the policy of `http/headers` takes nothing inline. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · nines</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<div id="reference"></div>
<noscript>The reference is drawn with JavaScript; <a href="openapi.json">openapi.json</a> is what it draws.</noscript>
<script src="docs/swagger-ui.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

/** No parameter of the page's address has a say in what is shown, and nothing is asked of a validator elsewhere. */
export const referenceStart = `const dark = matchMedia('(prefers-color-scheme: dark)')
const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', dress)
dress()
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  queryConfigEnabled: false,
  deepLinking: true,
  filter: true,
  defaultModelsExpandDepth: 0,
})
`
