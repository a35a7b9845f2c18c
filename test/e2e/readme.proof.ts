import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { blocksOf, output, started } from '../support/document-commands.ts'
import { fakeSource } from '../support/fake-source.ts'

const [demo = '', withSource = ''] = blocksOf('README.md')

afterEach(closeAll)

describe('the commands of README.md', () => {
  test('are the two that are run here', () => {
    expect(blocksOf('README.md')).toEqual(['npm start', 'SOURCE_URL=http://localhost:9090 npm start'])
  })

  test('start the demo, whose four commands of docs/get-started.md lead to a budget', async () => {
    const printed = /password +(\S+)[^]*?(http:\/\/[^\s/]+)\/demo-login#\S+/
    const [, password = '', url = ''] = await started(demo, printed)
    expect((await fetch(`${url}/demo-login`)).status).toBe(200)
    const [signIn = '', preview = '', create = '', budget = ''] = blocksOf('docs/get-started.md')
      .slice(0, 4)
      .map((text) => text.replaceAll('http://localhost:8080', url).replace('"PASSWORD"', JSON.stringify(password)))
    const before = `${signIn}\n${preview.split('\ncurl')[0]}\n`
    const previewed = JSON.parse(await output(`${signIn}\n${preview}`))
    expect([previewed.status, previewed.problems]).toEqual(['healthy', []])
    expect(JSON.parse(await output(before + create))).toMatchObject({
      id: 8,
      name: 'Search within 500 ms',
      warnings: [],
    })
    const token = await output(`${signIn}\nprintf %s "$token"`)
    let answer: { sli: number | null; error_budget: unknown } = { sli: null, error_budget: null }
    while (answer.sli === null) {
      await Bun.sleep(100)
      answer = JSON.parse(await output(`token=${token}\n${budget}`))
    }
    expect(answer.error_budget).toMatchObject({ total: 1, percentage_used: expect.any(Number) })
  })

  test('start an empty nines on a source, whose page makes the first account', async () => {
    const source = fakeSource(() => 0.999)
    closeLater(() => source.close())
    const command = withSource.replace('http://localhost:9090', source.url)
    const [, url = ''] = await started(command, /listening on (http:\S+)/)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/register`)).text()).toContain('<title>')
  })
})
