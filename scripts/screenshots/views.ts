import type { Page } from 'playwright-core'

/**
 * `as`: signed-in user; `null`: none. `heading`: heading that appears once the page has loaded. `act`: action before the
 * screenshot.
 */
export type View = {
  name: string
  path: string
  as: 'ada' | 'eve' | null
  heading: string
  act?: (page: Page) => Promise<void>
}

type World = { sloIds: Map<string, number>; authorizePath: string }

/** Query of the form of a new SLO, over a service of the shop. */
const queriesOf = (service: string) =>
  new URLSearchParams({
    bad: `sum(rate(shop_requests_total{service="${service}", code=~"5.."}[5m]))`,
    total: `sum(rate(shop_requests_total{service="${service}"}[5m]))`,
  })

/** Views of every page, and of its states that look different. */
export function viewsOf({ sloIds, authorizePath }: World): View[] {
  const slo = (name: string) => `/slos/${sloIds.get(name)}`
  return [
    { name: 'login', path: '/login', as: null, heading: 'Sign in' },
    { name: 'login-refused', path: '/login', as: null, heading: 'Sign in', act: signInWrongly },
    { name: 'register', path: '/register', as: null, heading: 'Register' },
    { name: 'forgotten', path: '/forgotten-password', as: null, heading: 'Forgotten password' },
    { name: 'reset', path: '/reset-password?token=abc', as: null, heading: 'New password' },
    { name: 'consent', path: authorizePath, as: null, heading: 'Release notes wants to act for you' },
    { name: 'overview', path: '/', as: 'ada', heading: 'Overview' },
    { name: 'overview-compact', path: '/?compact=1', as: 'ada', heading: 'Overview' },
    { name: 'overview-grouped', path: '/?group=label:service', as: 'ada', heading: 'Overview' },
    { name: 'overview-nothing-found', path: '/?q=nothing', as: 'ada', heading: 'Overview' },
    { name: 'overview-first-steps', path: '/', as: 'eve', heading: 'Overview' },
    { name: 'overview-offline', path: '/', as: 'ada', heading: 'Overview', act: goOffline },
    { name: 'overview-selected', path: '/', as: 'ada', heading: 'Overview', act: select },
    { name: 'settings', path: '/settings', as: 'ada', heading: 'Settings' },
    { name: 'slo-new', path: '/slos/new', as: 'ada', heading: 'New SLO' },
    { name: 'slo-new-preview', path: `/slos/new?${queriesOf('checkout')}`, as: 'ada', heading: 'New SLO' },
    { name: 'slo-new-picked', path: `/slos/new?${queriesOf('chekout')}`, as: 'ada', heading: 'New SLO' },
    { name: 'slo-edit', path: `${slo('Search is fast')}/edit`, as: 'ada', heading: 'Edit Search is fast', act: edit },
    { name: 'slo-critical', path: slo('Checkout answers'), as: 'ada', heading: 'Checkout answers' },
    { name: 'slo-healthy', path: slo('Payments answer'), as: 'ada', heading: 'Payments answer' },
    { name: 'slo-no-data', path: slo('nines is there'), as: 'ada', heading: 'nines is there' },
    { name: 'slo-alerting', path: `${slo('Checkout answers')}/alerting`, as: 'ada', heading: 'Checkout answers' },
    { name: 'slo-definition', path: `${slo('Checkout answers')}/definition`, as: 'ada', heading: 'Checkout answers' },
    { name: 'slo-activity', path: `${slo('Checkout answers')}/activity`, as: 'ada', heading: 'Checkout answers' },
    {
      name: 'slo-burn-rates',
      path: slo('Checkout answers'),
      as: 'ada',
      heading: 'Checkout answers',
      act: chart('Burn rates'),
    },
    {
      name: 'slo-hours',
      path: slo('Checkout answers'),
      as: 'ada',
      heading: 'Checkout answers',
      act: chart('Events per hour'),
    },
    { name: 'slo-incident', path: slo('Checkout answers'), as: 'ada', heading: 'Checkout answers', act: openIncident },
    { name: 'slo-how', path: slo('Checkout answers'), as: 'ada', heading: 'Checkout answers', act: explain },
    { name: 'slo-table', path: slo('Payments answer'), as: 'ada', heading: 'Payments answer', act: showTable },
    { name: 'slo-what-if', path: slo('Checkout answers'), as: 'ada', heading: 'Checkout answers', act: tryAnother },
    { name: 'explore', path: explored('graph'), as: 'ada', heading: 'Explore', act: drawn },
    { name: 'explore-table', path: explored('table'), as: 'ada', heading: 'Explore', act: drawn },
    { name: 'explore-empty', path: '/explore', as: 'ada', heading: 'Explore' },
    { name: 'incidents', path: '/incidents', as: 'ada', heading: 'Incidents' },
    { name: 'incidents-closed', path: '/incidents?state=closed&range=30d', as: 'ada', heading: 'Incidents' },
    { name: 'incidents-alerts', path: '/incidents?view=alerts&range=30d', as: 'ada', heading: 'Incidents' },
    { name: 'incidents-acknowledge', path: '/incidents', as: 'ada', heading: 'Incidents', act: openNote },
    { name: 'incidents-empty', path: '/incidents', as: 'eve', heading: 'Incidents' },
    { name: 'incident', path: '/incidents', as: 'ada', heading: 'Incidents', act: openIncidentPage },
    { name: 'notify-channels', path: '/notify/channels', as: 'ada', heading: 'Channels' },
    { name: 'notify-channels-none', path: '/notify/channels', as: 'eve', heading: 'Channels' },
    { name: 'notify-channel-new', path: '/notify/channels?new=slack', as: 'ada', heading: 'Channels' },
    { name: 'notify-rules', path: '/notify/rules', as: 'ada', heading: 'Rules' },
    { name: 'notify-rule-new', path: '/notify/rules?new=1', as: 'ada', heading: 'Rules' },
    { name: 'notify-templates', path: '/notify/templates', as: 'ada', heading: 'Templates' },
    { name: 'notify-history', path: '/notify/history', as: 'ada', heading: 'History' },
    { name: 'notify-silences', path: '/notify/silences', as: 'ada', heading: 'Silences' },
    { name: 'silence', path: slo('Payments answer'), as: 'ada', heading: 'Payments answer', act: silence },
    { name: 'palette', path: '/', as: 'ada', heading: 'Overview', act: search },
    { name: 'collect-sources', path: '/collect/sources', as: 'ada', heading: 'Sources' },
    { name: 'collect-targets', path: '/collect/targets', as: 'ada', heading: 'Metrics endpoints' },
    { name: 'collect-target-form', path: '/collect/targets?new', as: 'ada', heading: 'New metrics endpoint' },
    { name: 'collect-probes', path: '/collect/probes', as: 'ada', heading: 'Checks' },
    { name: 'collect-storage', path: '/collect/storage', as: 'ada', heading: 'Storage' },
    { name: 'confirm-email', path: '/confirm-email?token=abc', as: null, heading: 'Confirm your e-mail address' },
    { name: 'not-found', path: '/nowhere', as: 'ada', heading: 'There is no such page' },
  ]
}

/** Path of Explore with two queries of the demo shop; the second is invalid. */
function explored(view: string): string {
  const queries = ['sum by (service, code) (rate(shop_requests_total[5m]))', 'sum(rate(shop_requests_total[5m]) by']
  const values = new URLSearchParams({ from: 'now-24h', to: 'now', view })
  for (const text of queries) values.append('q', text)
  return `/explore?${values}`
}

async function drawn(page: Page): Promise<void> {
  await page.locator('.explore-error').waitFor()
  await page.locator('.explore-result').waitFor()
  await page.locator('.cm-lintRange-error').first().waitFor()
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
}

function chart(name: string) {
  return (page: Page) =>
    page.getByRole('button', { name, exact: true }).or(page.getByRole('tab', { name })).first().click()
}

async function openNote(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Acknowledge/ })
    .first()
    .click()
}

async function openIncidentPage(page: Page): Promise<void> {
  await page.locator('[data-alert] a').first().click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
}

async function openIncident(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /15.min/ })
    .first()
    .click()
}

async function explain(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Budget left: how?' }).click()
}

async function select(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Select SLOs' }).click()
  await page.getByRole('checkbox', { name: 'Select Search is fast' }).check()
  await page.getByText('1 SLO selected').waitFor()
}

async function edit(page: Page): Promise<void> {
  await page.getByLabel('Target, in percent').fill('99.5')
  await page.getByText('When it alerts').click()
}

async function tryAnother(page: Page): Promise<void> {
  await page.getByText('What if the target').click()
  await page.getByLabel('What-if target').fill('24')
  await page.getByText('Burn-rate alerts').waitFor()
}

async function showTable(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show as table' }).first().click()
}

async function silence(page: Page): Promise<void> {
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: 'Silence', exact: true }).waitFor()
}

async function search(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Search or jump/ }).click()
  await page.getByRole('combobox').fill('checkout')
  await page.getByRole('option').first().waitFor()
}

async function goOffline(page: Page): Promise<void> {
  await page.routeWebSocket(/./, (socket) => socket.close())
  await page.reload()
  await page.getByText('not connected since').waitFor()
  await page.clock.setFixedTime((await page.evaluate<number>('Date.now()')) + 120_000)
  await page.getByText(/^Not connected since/).waitFor()
}
