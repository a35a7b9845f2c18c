// Classic script in the head that runs before anything is drawn, so that the page does not flash in the wrong theme.
const chosen = localStorage.getItem('nines.theme')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
