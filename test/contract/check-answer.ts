import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer } from '../support/app.ts'
import { answerOf, type Described, type Document, describesStatus } from './document.ts'

/** Validates answers and request bodies against the document. Returns a list of violations. */
export function createChecker(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv, ['date-time', 'email', 'uri'])
  ajv.addSchema(document, 'document')
  const pointer = (...keys: string[]) => keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')

  function wrongBy(at: string, value: unknown): string | undefined {
    const validate = ajv.getSchema(`document#/${encodeURI(at)}`)
    if (!validate) throw new Error(`no schema at ${at}`)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }

  const at = ({ path, method }: Described) => pointer('paths', path, method.toLowerCase())

  return {
    ofBody: (operation: Described, type: string, body: unknown): string | undefined =>
      wrongBy(`${at(operation)}/${pointer('requestBody', 'content', type, 'schema')}`, body),

    ofAnswer(operation: Described, { status, headers, body, text }: Answer): string | undefined {
      const told = answerOf(document, operation, status)
      if (!told) return `status ${status} is not documented`
      if (status >= 500 && (body?.error === 'Internal error' || !describesStatus(operation, status)))
        return `status ${status}`
      if (!told.content) return text === '' ? undefined : 'a body that is not documented'
      const [type = ''] = (headers.get('content-type') ?? '').split(';')
      if (!told.content[type]) return `content type ${type} is not documented`
      if (type !== 'application/json') return undefined
      const answer = operation.responses[status]
      const base = answer && '$ref' in answer ? answer.$ref.slice(2) : `${at(operation)}/responses/${status}`
      return wrongBy(`${base}/${pointer('content', type, 'schema')}`, body)
    },
  }
}
