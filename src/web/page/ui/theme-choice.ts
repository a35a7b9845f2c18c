import { effect, signal } from '@preact/signals'

export type Theme = 'light' | 'dark' | 'system'

const key = 'nines.theme' // also read by `theme.ts` before anything is drawn
const system = matchMedia('(prefers-color-scheme: dark)')
const stored = localStorage.getItem(key)

/** Theme that was chosen in this browser. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')
const isSystemDark = signal(system.matches)

system.addEventListener('change', () => (isSystemDark.value = system.matches))

effect(() => {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && isSystemDark.value)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen
  if (chosen === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, chosen)
}
