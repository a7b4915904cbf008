import * as z from 'zod/mini'
import { describeIssues, describeIssue } from '../handler/describe-issues.ts'
import { HttpError } from '../handler/http-error.ts'
import { parseQuery } from '../handler/parse-input.ts'
import type { Operation, Schema } from '../operation.ts'
import type { MockCall } from './mock-reply.ts'

/** What a request holds, or why the real service would answer 400. */
export type ParsedCall = { readonly call: MockCall<Operation> } | { readonly problem: string }

/** Text values by parameter name, as the matcher found them in the path. */
export type RawParams = Readonly<Record<string, string | readonly string[] | undefined>>

/** Parses path, query and JSON body by the schemas of the operation. */
export async function parseCall(
  operation: Operation,
  request: Request,
  rawParams: RawParams,
): Promise<ParsedCall> {
  const params = parse(operation.params, rawParams, 'path')
  const query = parseSearch(operation, new URL(request.url).search.slice(1))
  const body = parse(operation.body, operation.body && (await readJson(request)), 'body')

  const problem = params.problem ?? query.problem ?? body.problem
  if (problem !== undefined) return { problem }
  return { call: { params: params.value, query: query.value, body: body.value, request } }
}

interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

function parse(schema: Schema | undefined, value: unknown, place: string): Parsed {
  if (!schema) return {}
  const parsed = z.safeParse(schema, value, { error: describeIssue })
  return parsed.success ? { value: parsed.data } : { problem: describeIssues(parsed.error.issues, place) }
}

function parseSearch(operation: Operation, search: string): Parsed {
  try {
    return { value: parseQuery(operation, search) }
  } catch (error) {
    if (error instanceof HttpError) return { problem: error.message }
    throw error
  }
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.clone().json()
  } catch {
    return undefined // not JSON: the schema then refuses it
  }
}
