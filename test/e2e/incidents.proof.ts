import { describeOnBed, startBed } from '../support/kit.ts'
import { testIncidents } from '../support/incident-tests.ts'

describeOnBed('incidents of known truth', () => {
  testIncidents(startBed, [
    ['Prometheus 2', 'prometheus'],
    ['VictoriaMetrics', 'victoria'],
    ['embedded source', 'embedded'],
  ])
})
