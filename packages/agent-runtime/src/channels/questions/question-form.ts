import { cut } from '../../json/to-json.ts'
import { entriesOf, fieldsOf, isText, type QuestionField, typeOf } from '../../json-schema/question-fields.ts'
import type { MessageButton } from '../../ports/channel.ts'
import type { StoredWait } from '../../store/ports/wait.ts'

/** Most options that get buttons. */
const maxButtons = 10
/** Most characters of a label: Discord takes 80, Slack 75. */
const maxLabel = 70
const maxListed = 100

/** The message that asks the first field of a question. */
export function announceQuestion(wait: StoredWait, code: string) {
  const [field] = fieldsOf(wait)
  const buttons = field && buttonsOf(field, code)
  return { text: field ? questionText(wait, field, true) : '', ...(buttons && { buttons }) }
}

/** Buttons of a question; undefined if it has no options, or too many. */
export function buttonsOf({ options }: QuestionField, code: string): readonly MessageButton[] | undefined {
  if (options.length === 0 || options.length > maxButtons) return undefined
  return options.map(({ label }, index) => ({
    label: label.trim() === '' ? '(empty)' : label.length > maxLabel ? `${cut(label, maxLabel - 1)}…` : label,
    command: `/answer ${code} ${index + 1}`,
  }))
}

/** What a person reads, in Markdown. */
export function questionText(
  { message = '' }: Pick<StoredWait, 'message'>,
  field: QuestionField,
  isFirst: boolean,
): string {
  const { title, description } = field.schema
  const name = typeof title === 'string' ? title : field.name
  const about = [
    ...(name === undefined ? [] : [`**${name}**`]),
    ...(field.name !== undefined && typeof description === 'string' ? [description] : []),
  ].join(': ')
  const listed = (entriesOf(field) ?? field).options.slice(0, maxListed).map(({ label }) => `- ${label}`)
  const parts = [
    isFirst ? message : '',
    about,
    listed.join('\n'),
    `${hintOf(field)}To decline, write \`/skip\`.`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function hintOf(field: QuestionField): string {
  const type = typeOf(field.schema)
  const entries = entriesOf(field)
  if (entries)
    return entries.options.length > 0 ? 'Choose any, separated by commas. ' : 'Separate entries by commas. '
  if (type === 'boolean') return 'Answer yes or no. '
  if (field.options.length > 0) return 'Choose one. '
  if (type === 'integer') return 'Answer with a number without decimals. '
  if (type === 'number') return 'Answer with a number. '
  return isText(field) ? '' : 'Answer in JSON. '
}

/** Why a text does not answer a question, for the person. */
export const misfitText = (field: QuestionField, problem?: string) =>
  `That does not answer the question${problem === undefined ? '' : `: ${problem}`}. ${hintOf(field)}Try again, or write \`/skip\` to decline.`
