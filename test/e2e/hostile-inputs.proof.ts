import { testHostileInputs } from '../support/hostile-input-tests.ts'

testHostileInputs({ shares: 1 })
