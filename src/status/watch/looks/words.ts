/** In minutes from two minutes on, in seconds below: `90 seconds`, `5 minutes`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds >= 7200) return `${Math.floor(seconds / 3600)} hours`
  return seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`
}

/** Whole megabytes, or gigabytes with one decimal: `260 MB`, `1.5 GB`. */
export function bytesText(bytes: number): string {
  return bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
