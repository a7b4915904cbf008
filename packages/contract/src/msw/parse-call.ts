import * as z from 'zod/mini'
import { describeIssues, issueText } from '../handler/describe-issues.ts'
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
  const query = Object.fromEntries(new URL(request.url).searchParams)
  const params = parse(operation.params, rawParams, 'path')
  const search = parse(operation.query, query, 'query')
  const body = parse(operation.body, operation.body && (await readJson(request)), 'body')

  const problem = params.problem ?? search.problem ?? body.problem
  if (problem !== undefined) return { problem }
  return { call: { params: params.value, query: search.value, body: body.value, request } }
}

function parse(
  schema: Schema | undefined,
  value: unknown,
  place: string,
): { value?: unknown; problem?: string } {
  if (!schema) return {}
  const parsed = z.safeParse(schema, value, { error: issueText })
  return parsed.success ? { value: parsed.data } : { problem: describeIssues(parsed.error.issues, place) }
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.clone().json()
  } catch {
    return undefined // not JSON: the schema then refuses it
  }
}
