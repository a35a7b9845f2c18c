import type { World } from './world.ts'

/** What is done with the form of an SLO. */
export function formHands(world: World) {
  const open = () => world.page.locator('.picker:popover-open')

  /** Takes what is typed into the list that is open; `isListed`: it is one of the source. */
  const take = async (text: string, isListed: boolean) => {
    const option = open().getByRole('option', { name: text, exact: true })
    if (isListed) await option.waitFor()
    else await open().getByRole('combobox').waitFor()
    await open().getByRole('combobox').fill(text)
    await option.click()
  }

  return {
    /** Opens a page as Ada, who signs in. */
    async opened(path: string, heading = 'New SLO') {
      await world.page.goto(`${world.url}${path}`)
      await world.signIn()
      await world.page.getByRole('heading', { level: 1, name: heading }).waitFor()
    },
    kind: (name: string) => world.page.getByRole('radio', { name, exact: true }).check(),
    /** Takes one of the list of a picker. */
    async pick(label: string, text: string) {
      await world.page.getByRole('button', { name: label }).first().click()
      await take(text, true)
    },
    /** Adds a matcher; `isTyped`: of a value that the source does not have. */
    async filter(of: string, label: string, value: string, isTyped = false) {
      await world.page.getByRole('button', { name: `${of}: add a label` }).click()
      await open().getByRole('option', { name: label, exact: true }).click()
      await world.page.getByRole('combobox', { name: `Value of ${label}` }).waitFor()
      await take(value, !isTyped)
    },
    query: (label: string) => world.page.getByRole('textbox', { name: label, exact: true }),
    /** Puts a text in place of a query. */
    async write(label: string, text: string) {
      const field = world.page.getByRole('textbox', { name: label, exact: true })
      await field.press('ControlOrMeta+a')
      await field.press('Backspace') // Chromium styles what takes the place of styled text, which the policy forbids
      await field.fill(text)
    },
    previewed: (text: RegExp) => world.page.getByRole('region', { name: 'Preview' }).getByText(text).first().waitFor(),
    /** Creates the SLO, and gives what is stored of it. */
    async created(name: string) {
      const { page, nines } = world
      await page.getByRole('button', { name: 'Create SLO' }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      const id = Number(new URL(page.url()).pathname.split('/')[2])
      return (await nines.call('GET', `/api/v1/slos/${id}`)).body
    },
  }
}
