import type { ApprovalRule } from '@homeward/contract/agent-platform'
import { jsonTextProblem, parseJsonText, toJsonText } from './json-text.ts'

/** A rule about calls of one tool, as the form holds it. */
export interface ApprovalRuleDraft {
  readonly tool: string
  readonly decision: ApprovalRule['decision']
  /** The text of a JSON Schema. Empty: all arguments. */
  readonly when: string
}

/** Largest number of rules of an agent. */
export const maxApprovalRules = 100

/** The form of an agent's rules. */
export function toRuleDrafts(rules: readonly ApprovalRule[] = []): ApprovalRuleDraft[] {
  return rules.map(({ tool, decision, when }) => ({ tool, decision, when: toJsonText(when) }))
}

/** The rules of a form. @returns null for none */
export function toRules(drafts: readonly ApprovalRuleDraft[]): ApprovalRule[] | null {
  if (drafts.length === 0) return null
  return drafts.map(({ tool, decision, when: text }) => {
    const when = parseJsonText(text)
    return { tool: tool.trim(), decision, ...(when && { when }) }
  })
}

/** What is wrong with the rules of a form, by the name of the field in the interface. */
export function ruleProblems(drafts: readonly ApprovalRuleDraft[]): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const [index, { tool, when }] of drafts.entries()) {
    if (tool.trim() === '')
      problems[`approvals[${index}].tool`] = 'Name the tool of this rule, or remove the rule.'
    const problem = jsonTextProblem(when)
    if (problem !== undefined) problems[`approvals[${index}].when`] = problem
  }
  return problems
}
