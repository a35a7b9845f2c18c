// Runs before anything is drawn, as a classic script in the head, so that the page does not flash in the other theme.
const chosen = localStorage.getItem('nines.theme')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
