import type { World } from './world.ts'

/** Actions in the SLO form. */
export function formHands(world: World) {
  const open = () => world.page.locator('.picker:popover-open')

  /** Types into the open list and takes the entry; `isListed`: the source lists it. */
  const take = async (text: string, isListed: boolean) => {
    const option = open().getByRole('option', { name: text, exact: true })
    if (isListed) await option.waitFor()
    else await open().getByRole('combobox').waitFor()
    await open().getByRole('combobox').fill(text)
    await option.click()
  }

  return {
    /** Opens a page and signs in as Ada. */
    async opened(path: string, heading = 'New SLO') {
      await world.page.goto(`${world.url}${path}`)
      await world.signIn()
      await world.page.getByRole('heading', { level: 1, name: heading }).waitFor()
    },
    kind: (name: string) => world.page.getByRole('radio', { name, exact: true }).check(),
    /** Picks an entry from the list of a picker. */
    async pick(label: string, text: string) {
      await world.page.getByRole('button', { name: label }).first().click()
      await take(text, true)
    },
    /** Adds a label matcher; `isTyped`: with a value that the source does not have. */
    async filter(of: string, label: string, value: string, isTyped = false) {
      await world.page.getByRole('button', { name: `${of}: add a label` }).click()
      await open().getByRole('option', { name: label, exact: true }).click()
      await world.page.getByRole('combobox', { name: `Value of ${label}` }).waitFor()
      await take(value, !isTyped)
    },
    query: (label: string) => world.page.getByRole('textbox', { name: label, exact: true }),
    /** Replaces the text of a query. */
    async write(label: string, text: string) {
      const field = world.page.getByRole('textbox', { name: label, exact: true })
      await field.press('ControlOrMeta+a')
      // Chromium adds inline styles if styled text is overwritten, which the CSP forbids
      await field.press('Backspace')
      await field.fill(text)
    },
    previewed: (text: RegExp) => world.page.getByRole('region', { name: 'Preview' }).getByText(text).first().waitFor(),
    /** Submits the form and returns the stored SLO. */
    async created(name: string) {
      const { page, nines } = world
      await page.getByRole('button', { name: 'Create SLO' }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      const id = Number(new URL(page.url()).pathname.split('/')[2])
      return (await nines.call('GET', `/api/v1/slos/${id}`)).body
    },
  }
}
