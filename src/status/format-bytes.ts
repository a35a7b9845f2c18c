const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats a size in the unit that fits, with at most three digits: `940 bytes`, `393 kB`, `4.3 GB`. */
export function formatBytes(bytes: number): string {
  let [size, unit] = [Math.round(bytes), 0]
  while (size >= 1000 && unit < units.length - 1) {
    unit += 1
    const scaled = bytes / 1000 ** unit
    size = scaled < 99.95 ? Math.round(scaled * 10) / 10 : Math.round(scaled)
  }
  return `${size} ${units[unit]}`
}
