import { describe, expect, test } from 'bun:test'
import { evaluated } from './evaluated.ts'
import { fits, isWithoutBrowser, serious } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "several SLOs at once": chromium is not installed\n')

const slos = '/api/v1/slos'

describe.skipIf(isWithoutBrowser)('several SLOs at once', () => {
  const world = pageWorld({ env: { PORT: '0' } })

  /** Three SLOs that are selected in the overview; with the requests of the page that change something. */
  const selected = async () => {
    const { nines, page, url, made, signIn } = world
    const ids: number[] = []
    for (const [name, target] of [
      ['Checkout answers', 99.9],
      ['Payments answer', 99.5],
      ['Search answers', 99.5],
    ] as const) {
      const id = await made({ name, target, time_window: '24h' })
      await evaluated(nines, id, { own: 99.95, budgetUsed: 10, status: 'healthy' })
      ids.push(id)
    }
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().includes(slos)) sent.push(request.postData() ?? '')
    })
    await page.goto(url)
    await signIn()
    await page.locator('.slo-row').nth(2).waitFor()
    await page.getByRole('button', { name: 'Select SLOs' }).click()
    await page.getByRole('button', { name: 'All 3' }).click()
    await page.getByText('3 SLOs selected').waitFor()
    return { ids, sent }
  }
  const choose = async (item: string) => {
    await world.page.getByRole('button', { name: 'Change', exact: true }).click()
    await world.page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const undoOf = (of: string) => world.page.locator('.toast', { hasText: of }).getByRole('button', { name: 'Undo' })
  const undo = async (of: string) => {
    await undoOf(of).click()
  }
  const stored = async (field: string) =>
    (await world.nines.call('GET', `${slos}?page_size=100`)).body.slos.map((slo: Record<string, unknown>) => slo[field])
  const action = (sent: string[]) => sent.map((body) => (JSON.parse(body) as { action: string }).action)

  test('several SLOs at once are paused and resumed by one request each, and are not mistaken for unknown meanwhile', async () => {
    const { page } = world
    const { sent } = await selected()
    await choose('Pause')
    await undoOf('3 SLOs: paused.').focus() // keeps its message
    await page.locator('.slo-row', { hasText: 'Checkout answers' }).getByText('Paused').waitFor()
    await page.getByText('Nothing needs attention, 0 on track, 3 paused').waitFor()
    expect(await page.locator('.slo-row', { hasText: 'Paused' }).count()).toBe(3)
    expect(await serious(page)).toEqual([])
    await undo('3 SLOs: paused.')
    await page.getByText('3 SLOs: resumed.').waitFor()
    await page.locator('.slo-row', { hasText: 'Paused' }).first().waitFor({ state: 'detached' })
    expect(action(sent)).toEqual(['pause', 'resume'])
  })

  test('several SLOs at once are deleted, and restored by undo', async () => {
    const { page } = world
    const { sent } = await selected()
    await choose('Delete')
    await page.locator('.slo-row').first().waitFor({ state: 'detached' })
    await undo('3 SLOs: deleted.')
    await page.locator('.slo-row').nth(2).waitFor()
    expect(action(sent)).toEqual(['delete', 'restore'])
  })

  test('that are deleted are found by the filter, also if no other is left, and restored', async () => {
    const { page, url } = world
    const { sent } = await selected()
    await choose('Delete')
    await page.locator('.slo-row').first().waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Where does the first SLO come from?' }).waitFor()
    const deleted = page.locator('.deleted-slos tbody tr')
    await deleted.nth(2).waitFor()
    await page.getByRole('button', { name: 'Restore Search answers' }).click()
    await page.locator('.slo-row', { hasText: 'Search answers' }).waitFor()
    await page.locator('.deleted-slos').waitFor({ state: 'detached' })

    await page.getByRole('search').getByRole('button', { name: 'State' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Deleted' }).click()
    await page.keyboard.press('Escape')
    await deleted.nth(1).waitFor()
    expect(await page.locator('.slo-row').count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?state=deleted')
    expect(await serious(page)).toEqual([])
    await fits(page)
    await page.getByRole('button', { name: 'Restore Payments answer' }).click()
    await deleted.nth(1).waitFor({ state: 'detached' })
    await deleted.getByRole('link', { name: 'Checkout answers' }).click()
    await page.getByText('This SLO was deleted').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('This SLO was deleted').waitFor({ state: 'detached' })
    expect(action(sent)).toEqual(['delete', 'restore', 'restore'])
    await page.goto(`${url}/?state=deleted`)
    await page.getByText('No SLO is deleted.').waitFor()
  })

  test('get another target; undo gives each its own again', async () => {
    const { page } = world
    const { sent } = await selected()
    await choose('Set the target…')
    const dialog = page.getByRole('dialog', { name: 'Target of 3 SLOs' })
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.getByText('Must be a number above 0').waitFor()
    await dialog.getByLabel('Target, in percent').fill('99')
    expect(await serious(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('3 SLOs: target 99 %.').waitFor()
    expect(await stored('target')).toEqual([99, 99, 99])
    await undo('3 SLOs: target 99 %.')
    await page.getByText('2 SLOs: target 99.5 %.').waitFor()
    expect((await stored('target')).toSorted()).toEqual([99.5, 99.5, 99.9])
    expect(action(sent)).toEqual(['set_target', 'set_target', 'set_target'])
  })

  test('get a rule for a channel', async () => {
    const { nines, page } = world
    const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
    const channel = { name: 'On call', channel_type: 'webhook', configuration }
    await nines.call('POST', '/api/v1/notifications/channels', channel)
    const { ids, sent } = await selected()
    await choose('Notify a channel…')
    const dialog = page.getByRole('dialog', { name: 'Notify of 3 SLOs' })
    await dialog.getByLabel('How urgent').selectOption('page')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 SLOs: On call is notified.').waitFor()
    const { data } = (await nines.call('GET', '/api/v1/notifications/rules')).body
    expect(data.map(({ slo_id, severity }: { slo_id: number; severity: string }) => [slo_id, severity])).toEqual(
      expect.arrayContaining(ids.map((id) => [id, 'page'])),
    )
    expect(action(sent)).toEqual(['add_rules'])
  })

  test('that are refused are named with the reason', async () => {
    const { nines, page } = world
    const { ids } = await selected()
    await page.context().route('**/slos/bulk', async (route) => {
      await nines.call('DELETE', `${slos}/${ids[1]}`) // by somebody else, just before
      await route.continue()
    })
    await choose('Pause')
    await page.getByText('2 SLOs: paused.').waitFor()
    const note = page.getByRole('alert', { name: 'Not changed' })
    expect(await note.innerText()).toBe('1 of 3 not paused:\n\nPayments answer: SLO not found.')
    await note.getByRole('button', { name: 'Close' }).click()
    await note.waitFor({ state: 'detached' })
  })

  test('one is paused, resumed and deleted from the menu of its row, by keyboard, also on a phone', async () => {
    const { nines, page, url, made, signIn } = world
    const id = await made({ name: 'Checkout answers', target: 99, time_window: '24h' })
    await evaluated(nines, id, { own: 99.95, budgetUsed: 10, status: 'healthy' })
    await page.goto(url)
    await signIn()
    const more = page.getByRole('button', { name: 'More for Checkout answers' })
    await more.focus()
    await page.keyboard.press('Enter')
    const menu = page.getByRole('menu', { name: 'Checkout answers' })
    await menu.waitFor()
    await page.getByRole('button', { name: 'More for Checkout answers', expanded: true }).waitFor()
    expect(await serious(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('1 SLO: paused.').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.locator('.slo-row').getByText('Paused').waitFor()
    await more.click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await page.getByText('1 SLO: resumed.').waitFor()
    await page.locator('.slo-row').getByText('Paused').waitFor({ state: 'detached' })
    await fits(page)
    await more.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await undo('1 SLO: deleted.')
    await page.locator('.slo-row').waitFor()
    expect((await nines.call('GET', `${slos}/${id}`)).body).toMatchObject({ active: true, paused: false })
  })
})
