import { describeOnNewer, newer } from '../support/newer-components.ts'
import { testRollingWindows } from '../support/rolling-window-tests.ts'

describeOnNewer('rolling windows over live data of a Prometheus 3', () =>
  testRollingWindows({ liveHours: 5, program: newer.prometheus }),
)
