import { testHostileInputs } from '../support/hostile-input-tests.ts'

testHostileInputs({ shares: 3 }) // test/e2e/hostile-inputs.proof.ts sends all
