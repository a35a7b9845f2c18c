const bars =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect x="1" y="1" width="18" height="18" rx="5" fill="#6068dd"/>' +
  '<path d="M6 13.5v-4M10 13.5V6M14 13.5v-2" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>'

/** Data URL of the icon of nines. The page shows another one while an SLO needs attention. */
export const iconUrl = `data:image/svg+xml,${encodeURIComponent(bars)}`
