import type { Break } from './break.ts'
import type { Fault } from './door.ts'

const faults: Fault[] = ['hangs', 'refuses', 'answers garbage', 'answers 500', 'cuts answers off', 'is slow']
const jumps = ['-1h', '+1h', '-1d', '+1d', '-40d', '+40d']

export const outsideBreaks: Break[] = [
  ...faults.map((fault): Break => ({
    family: 'source',
    name: `source ${fault}`,
    begin: ({ around }) => around.source.set(fault),
    mend: ({ around }) => around.source.set('well'),
    unknownSlos: 'outside',
  })),
  {
    family: 'source',
    name: 'source says NaN of everything',
    begin: ({ around }) => around.setLying(true),
    mend: ({ around }) => around.setLying(false),
    unknownSlos: 'outside',
    mustShow: /unknown: no_data/,
  },
  ...faults.slice(0, 4).map((fault): Break => ({
    family: 'target',
    name: `target ${fault}`,
    begin: ({ around }) => around.target.set(fault),
    mend: ({ around }) => around.target.set('well'),
    unknownSlos: 'embedded',
  })),
  ...(['hangs', 'refuses', 'answers 500'] as const).map((fault): Break => ({
    family: 'receiver',
    name: `receiver ${fault}`,
    begin({ around }) {
      around.receiver.set(fault)
      around.setSwitch(false) // so that there is something to notify
    },
    mend: ({ around }) => around.receiver.set('well'),
    unknownSlos: 'none',
  })),
  ...jumps.map((jump): Break => ({
    family: 'clock',
    name: `clock set by ${jump}`,
    needs: 'time',
    begin: ({ setClock }) => setClock(jump),
    mend: ({ setClock }) => setClock('+0'),
    unknownSlos: 'embedded',
    mustShow: /clock_jumped/,
    mayPersist: /clock_jumped/,
  })),
]
