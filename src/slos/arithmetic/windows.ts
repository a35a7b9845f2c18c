export const hourSeconds = 3600
export const daySeconds = 86_400

const secondsOf = {
  '5m': 300,
  '15m': 900,
  '30m': 1800,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
  '90d': 7_776_000,
} as const

/** Name of a window, such as `30d`. */
export type Window = keyof typeof secondsOf

/** The windows an SLO may have. */
export const sloWindows = ['1h', '24h', '7d', '30d', '90d'] as const
export type SloWindow = (typeof sloWindows)[number]

/** All windows, the shortest first: the windows of an SLO, and shorter ones. */
export const windows = ['5m', '15m', '30m', '1h', '6h', '24h', '7d', '30d', '90d'] as const

export function windowSeconds(window: Window): number {
  return secondsOf[window]
}

/** The window of the current value: 1h, or 5m for an SLO of 1h. Rule: docs/slo-math.md, "Status". */
export function currentWindow(own: SloWindow): Window {
  return own === '1h' ? '5m' : '1h'
}

/** The name of a window of any whole minutes: `5m`, `1h`, `72h`. */
export function windowName(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}
