import { testHostileInputs } from '../support/hostile-input-tests.ts'

testHostileInputs({ shares: 6 }) // test/e2e/hostile-inputs.proof.ts sends all
