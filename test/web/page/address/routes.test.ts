import { expect, test } from 'bun:test'
import { entryOf, isAt, listed, pathsOf, routes, type Section } from '../../../../src/web/page/address/routes.ts'
import { iconNames } from '../../../../src/web/page/ui/icon-names.ts'

test.each([
  [routes.overview, ['/']],
  [routes.explore, ['/explore']],
  [routes.incidents, ['/incidents', '/incidents/:id']],
  [routes.deploys, ['/deploys', '/deploys/:id']],
  [routes.editSlo, ['/slos/:id/edit']],
  [routes.slo, ['/slos/:id', '/slos/:id/alerting', '/slos/:id/definition', '/slos/:id/activity']],
  [
    routes.collect,
    [
      '/collect/sources',
      '/collect/probes',
      '/collect/heartbeats',
      '/collect/targets',
      '/collect/senders',
      '/collect/storage',
    ],
  ],
] as [Section, string[]][])('the paths of %p are %p', (section, paths) => {
  expect(pathsOf(section)).toEqual(paths)
})

test.each([
  ['/', 'Overview'],
  ['/slos/new', 'Overview'],
  ['/slos/3/alerting', 'Overview'],
  ['/incidents', 'Incidents'],
  ['/alerts/3', 'Incidents'], // an alert is a part of the incidents
  ['/deploys/3', 'Deploys'],
  ['/collect/probes', 'Collect'],
  ['/collect/unknown', 'Collect'],
  ['/settings', undefined],
  ['/settings/people', undefined],
  ['/nowhere', undefined],
])('at %p the side bar marks %p', (path, label) => {
  const marked = listed.filter((section) => section.menu === 'side' && isAt(section, path))
  expect(marked.map(({ label }) => label as string)).toEqual(label === undefined ? [] : [label])
})

test('each entry of a menu leads to a path of its own, without parameters, and has an icon of the sprite', () => {
  const entries = listed.map(entryOf)
  expect(entries.filter((path) => path.includes(':'))).toEqual([])
  expect(new Set(entries).size).toBe(entries.length)
  expect(listed.map(({ icon }) => icon).filter((icon) => !iconNames.includes(icon))).toEqual([])
})

test('the side bar lists at most six sections, which the bar of a phone has room for', () => {
  const side = listed.filter(({ menu }) => menu === 'side').map(({ label }) => label)
  expect(side.length, 'list a new section in the menu `account`, or make room in app/shell/shell.css').toBeLessThan(7)
})
