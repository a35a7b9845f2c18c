import { describeOnBed } from '../support/kit.ts'
import { testRollingWindows } from '../support/rolling-window-tests.ts'

describeOnBed('rolling windows over live data', () => testRollingWindows({ liveHours: 8 }))
