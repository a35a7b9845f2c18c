import { describeOnNewer, newer } from '../support/newer.ts'
import { testStandingWindows } from '../support/standing-tests.ts'

describeOnNewer('standing windows over live data of a Prometheus 3', () => testStandingWindows(newer.prometheus))
