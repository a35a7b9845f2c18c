import { version } from '../../../package.json' with { type: 'json' }

/**
 * Which Prometheus these routes answer like; test/embedded/api holds them against one. Grafana decides by `version` what it
 * may ask for (from 2.24: `match[]` for labels), and takes what says nothing of `features` for a Prometheus without an
 * API to change rules.
 */
export const buildInfo = {
  application: 'nines',
  version: '3.5.0',
  revision: version,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
}
