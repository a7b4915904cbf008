import { Ajv2020 } from 'ajv/dist/2020.js'
import type { DrawnDocument, DrawnRequest } from './draw-request.ts'

const pointer = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1')

/** Somebody else's failure, what this host left out (501), or the failure of a run, which says what it was. */
function isExcused(status: number, text: string): boolean {
  if (status === 501 || status === 502) return true
  const { success, code } = JSON.parse(text) as { readonly success?: boolean; readonly code?: string }
  return success === false && code !== undefined && code !== 'internal_error'
}

/** Checks answers against a document: a documented status, and a body of its schema. Gives what is wrong. */
export function createAnswerCheck(document: DrawnDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')

  return async ({ method, template }: DrawnRequest, response: Response): Promise<string | undefined> => {
    const { status } = response
    const operation = document.paths[template]?.[method.toLowerCase()]
    const documented = operation?.responses[status]
    const text = await response.text()
    if (status >= 500 && !(documented && isExcused(status, text)))
      return `answered ${status}: ${text.slice(0, 200)}`
    if (!documented) return `answered ${status}, which is not documented: ${text.slice(0, 200)}`
    if (documented.content?.['application/json'] === undefined) return undefined
    const steps = ['paths', template, method.toLowerCase(), 'responses', String(status)]
    const path = [...steps, 'content', 'application/json', 'schema'].map(pointer).join('/')
    // a part of the document itself, so that its references hold
    const validate = ajv.getSchema(`document#/${encodeURI(path)}`)
    if (!validate) return `has no schema for ${status}`
    return validate(JSON.parse(text))
      ? undefined
      : `answered ${status} with another body: ${ajv.errorsText(validate.errors)}`
  }
}
