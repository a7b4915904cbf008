/** Tool calls of a run, one a turn; the turn behind them answers. */
export const toolCalls = 20
/** Model calls of a run. */
export const turnsOfRun = toolCalls + 1
export const question = 'Look up all the keys, one after the other.'
export const answer = 'All the keys were looked up.'
export const instructions = 'You look things up. Use the tool for every key.'
export const toolName = 'look_up'
export const toolDescription = 'Looks up the value of a key.'

/** JSON Schema of the tool's arguments. */
export const toolParameters = {
  type: 'object',
  properties: { key: { type: 'string' } },
  required: ['key'],
  additionalProperties: false,
} as const

let lookUps = 0

/** The tool. It does nothing that takes time. */
export function lookUp(key: string): { key: string; value: string } {
  lookUps += 1
  return { key, value: `value of ${key}` }
}

/** How often the tool was called in this process. */
export const countLookUps = () => lookUps

/** What the model does in a turn: a call, or the answer. */
export type PlayedTurn = { readonly callId: string; readonly args: string } | { readonly text: string }

/** The turn behind the call with this id; the first one without. */
export function playTurn(lastCallId: string | undefined): PlayedTurn {
  const number = lastCallId === undefined ? 1 : Number(lastCallId.slice('call-'.length)) + 1
  if (number > toolCalls) return { text: answer }
  return { callId: `call-${number}`, args: JSON.stringify({ key: `key-${number}` }) }
}
