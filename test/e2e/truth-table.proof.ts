import { describeOnBed, startBed } from '../support/kit.ts'
import { testTruthTable } from '../support/truth-table-tests.ts'

describeOnBed('against 35 days of known truth', () => {
  testTruthTable(startBed, [
    ['Prometheus 2', 'prometheus'],
    ['VictoriaMetrics', 'victoria'],
    ['embedded source', 'embedded'],
  ])
})
