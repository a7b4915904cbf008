import { GraphInput } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'
import { toFieldErrors } from '../api/field-errors.ts'
import { isFixed, toCondition } from './graph-draft.ts'
import type { DraftFields, GraphDraft } from './graph-draft.ts'

/** Something wrong with a graph, at the place where it can be mended. */
export interface DraftProblem {
  /** Key of the node or the edge; undefined for what is wrong with the graph as a whole. */
  readonly key: string | undefined
  /** Field of that place, as the interface names it. */
  readonly field: string | undefined
  readonly message: string
}

/** A graph as it is sent, to be created or to replace what is there: what is not set is cleared. */
export function toGraphBody({ fields, nodes, edges }: GraphDraft) {
  const idOf = (key: string) => nodes.find((node) => node.key === key)?.id ?? ''
  return {
    nodes: nodes.map(({ id, agent, fixed, input, retries, onError }) => ({
      id,
      ...fixed,
      ...(!isFixed({ fixed }) && { agent }),
      ...(input !== '' && { input }),
      ...(retries > 0 && { retries }),
      ...(onError !== 'fail' && { on_error: onError }),
    })),
    edges: edges.map(({ from, to, when, data }) => {
      const condition = toCondition(when, data)
      return { from: idOf(from), to: idOf(to), ...(condition && { when: condition }) }
    }),
    ...toGraphFields(fields),
  }
}

/** The id that was chosen for a new graph, if one was. */
const newId = ({ fields: { id } }: GraphDraft) => (id === '' ? {} : { id })

function toGraphFields(fields: DraftFields) {
  const { maxTokens, maxUsd, period } = fields
  const hasBudget = maxTokens !== undefined || maxUsd !== undefined
  return {
    name: fields.name || null,
    description: fields.description || null,
    schedule: fields.schedule || null,
    schedule_input: fields.scheduleInput || null,
    schedule_enabled: fields.scheduleEnabled,
    timezone: fields.timezone || null,
    catch_up: fields.catchUp || null,
    overlap: fields.overlap || null,
    budget: hasBudget
      ? { max_tokens: maxTokens ?? null, max_usd: maxUsd ?? null, period: period || null }
      : null,
  }
}

const text = en().localeError

/** What the contract alone says about a graph: texts that are too long, ids that cannot be ids. */
export function checkDraft(draft: GraphDraft): readonly DraftProblem[] {
  const parsed = z.safeParse(GraphInput, { ...newId(draft), ...toGraphBody(draft) }, { error: text })
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => toProblem(draft, path.map(String), message))
}

const Problems = z.object({ problems: z.array(z.object({ path: z.string(), message: z.string() })) })

const fieldNames = ['id', 'name', 'description', 'schedule', 'timezone', 'budget', 'schedule_input']

/** What the platform said about a graph (A10), at its places; undefined when it said nothing of that kind. */
export function problemsOfError(draft: GraphDraft, error: unknown): readonly DraftProblem[] | undefined {
  if (!ClientError.is(error)) return undefined
  const parsed = z.safeParse(Problems, error.details)
  if (!parsed.success || parsed.data.problems.length === 0) {
    const { fields, rest } = toFieldErrors(error, fieldNames)
    const found = Object.entries(fields).map(([field, message]) => ({ key: undefined, field, message }))
    return rest || found.length === 0 ? undefined : found
  }
  return parsed.data.problems.map(({ path, message }) => toProblem(draft, path.split('.'), message))
}

/** The path names a place by its number; the number is another one as soon as something before it is removed. */
function toProblem({ nodes, edges }: GraphDraft, path: readonly string[], message: string): DraftProblem {
  const [list, index, field] = path
  const places = list === 'nodes' ? nodes : list === 'edges' ? edges : []
  const key = index === undefined ? undefined : places[Number(index)]?.key
  return key === undefined ? { key, field: list, message } : { key, field, message }
}
