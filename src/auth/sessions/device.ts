/** Browsers in the order in which they are looked for: several also name others in their user agents. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * Device of a user agent in words: `Firefox on Windows`; of a program its name, such as `curl`. Versions are left out, so that an
 * update is no other device.
 */
export function deviceOf(userAgent: string): string {
  const system = find(systems, userAgent)
  const browser = find(browsers, userAgent)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const program = /^(?!Mozilla\b)([A-Za-z][\w.-]{0,39})(?:\/|\s|$)/.exec(userAgent)?.[1]
  return program ?? (system === undefined ? 'Unknown device' : `Unknown browser on ${system}`)
}

function find(known: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return known.find(([pattern]) => pattern.test(userAgent))?.[1]
}
