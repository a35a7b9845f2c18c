/** `Number(value.toFixed(2))`, of which `toFixed` takes long: it is needed near the middle of two hundredths alone. */
export function toHundredths(value: number): number {
  const hundredths = value * 100
  const whole = Math.round(hundredths)
  const isNearMiddle = Math.abs(Math.abs(hundredths - whole) - 0.5) < 1e-6
  return isNearMiddle || Math.abs(hundredths) > 1e9 ? Number(value.toFixed(2)) : whole / 100
}
