import { describeOnBed } from '../support/kit.ts'
import { testStandingWindows } from '../support/standing-tests.ts'

describeOnBed('standing windows over live data', () => testStandingWindows())
