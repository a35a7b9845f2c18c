/** `3d 2h 15m`, down to whole minutes, without the units in front that are 0: `15m`, `2h 0m`. */
export function uptimeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'm'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first)
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ')
}
