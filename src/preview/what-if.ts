import { AppError } from '../errors.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { type Measurement, type Sli, sliOf, type SliUnit } from '../sli/sli.ts'
import { usualWindows } from '../slos/arithmetic/window-names.ts'
import { type MovingWindow, nominalSeconds, type SloWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { lookBackSeconds } from '../slos/arithmetic/past-alerts.ts'
import { sumBetween } from '../slos/arithmetic/running-sums.ts'
import { finestStep, type SteppedHistory } from './stepped-history.ts'

/** Measurement over a window, `seconds` of `wholeSeconds` so far, as for an SLO with this window. */
export type MeasuredWindow = {
  window: SloWindow
  seconds: number
  wholeSeconds: number
  unit: SliUnit | null
  sli: Sli
  measurement: Measurement
}

/** Windows of an SLO that are shorter than its own, and whose history would be measured in the same steps. */
export function shorterWindows(plan: SliPlan, own: SloWindow): MovingWindow[] {
  const [ownSeconds, ownStep] = [nominalSeconds(own), finestStep(plan, nominalSeconds(own))]
  return usualWindows.filter((one) => {
    const seconds = windowSeconds(one)
    return seconds < ownSeconds && finestStep(plan, seconds) === ownStep
  })
}

/** `unitOf`: unit of the SLI, inferred from a measurement; null: none fits. */
type MeasureOptions = { plan: SliPlan; unitOf: (measurement: Measurement) => SliUnit | null }

/** Measures the windows; those that the source does not answer are left out. */
export async function measureWindows(
  windows: MovingWindow[],
  measureOver: (window: MovingWindow) => Promise<Measurement>,
  { plan, unitOf }: MeasureOptions,
): Promise<MeasuredWindow[]> {
  const measured = await Promise.all(
    windows.map(async (window) => {
      const measurement = await measureOver(window).catch((error: unknown) => {
        if (error instanceof AppError) return null
        throw error
      })
      if (!measurement) return null
      const unit = unitOf(measurement)
      const seconds = windowSeconds(window)
      return {
        window,
        seconds,
        wholeSeconds: seconds,
        unit,
        measurement,
        sli: sliOf(measurement, unit, plan.sides?.counts === 'bad'),
      }
    }),
  )
  return measured.filter((one) => one !== null)
}

/** Keeps the windows for which `past`, the history measured for `own`, holds: same unit, same method, and long enough. */
export function withSameHistory(
  windows: MeasuredWindow[],
  own: MeasuredWindow,
  past: SteppedHistory | null,
): MeasuredWindow[] {
  return windows.filter(
    ({ window, unit, measurement: { method } }) =>
      past !== null &&
      unit === own.unit &&
      method === own.measurement.method &&
      sumBetween(past, past.endSeconds - lookBackSeconds(window), past.endSeconds).coveredSeconds > 0,
  )
}
