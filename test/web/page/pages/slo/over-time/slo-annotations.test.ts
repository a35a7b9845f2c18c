import { expect, test } from 'bun:test'
import type { Annotation } from '../../../../../../src/web/page/charts/annotations.ts'
import { ofTier } from '../../../../../../src/web/page/pages/slo/over-time/slo-annotations.ts'

test('behind the burn rates of a tier are its own alerts, silences and incidents, not the alerts of others', () => {
  const band = (kind: Annotation['kind'], longWindow?: string | null): Annotation => ({
    kind,
    fromSeconds: 0,
    toSeconds: 60,
    text: '',
    ...(longWindow !== undefined && { longWindow }),
  })
  const own = [band('incident'), band('firing', '1h'), band('silenced')]
  const all = {
    bands: [...own, band('firing', '6h'), band('ticket', '6h'), band('firing', null)],
    markers: [],
    view: null,
  }
  expect(ofTier(all, { long_window: '1h' }).bands).toEqual(own)
})
