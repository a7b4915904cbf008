import type { Json, JsonObject } from '@homeward/contract/agent-platform'
// The main entry also loads a validator for the library's own tests, which we do not have.
import Form from '@rjsf/core/lib/components/Form.js'
import type { RJSFSchema } from '@rjsf/utils'
import { type ReactNode, useMemo, useState } from 'react'
import { type FormValue, schemaValidator } from '../components/schema-form/schema-validator.ts'
import { formTemplates } from '../components/schema-form/templates.tsx'
import { formWidgets } from '../components/schema-form/widgets.tsx'

/** What a {@link SchemaAnswer} takes. */
interface SchemaAnswerProps {
  readonly schema: JsonObject
  readonly isDisabled: boolean
  readonly onAnswer: (answer: Json) => void
  /** The buttons: one that submits, and what else can be done. */
  readonly children: ReactNode
}

/** A form for an answer that a JSON Schema describes: a field for each property, or one field. */
export function SchemaAnswer({ schema, isDisabled, onAnswer, children }: SchemaAnswerProps) {
  const { rules, isWrapped } = useMemo(() => toFormSchema(schema), [schema])
  const [value, setValue] = useState<FormValue>({})
  return (
    <Form<FormValue>
      schema={rules}
      validator={schemaValidator}
      templates={formTemplates}
      widgets={formWidgets}
      formData={value}
      onChange={({ formData = {} }) => setValue(formData)}
      onSubmit={({ formData = {} }) => onAnswer(answerOf(formData, isWrapped))}
      // Without this the library writes what is wrong to the console.
      onError={() => undefined}
      disabled={isDisabled}
      noHtml5Validate
      showErrorList={false}
      className="stack"
      autoComplete="off"
    >
      <div className="row">{children}</div>
    </Form>
  )
}

const answerKey = 'answer'

/** A form fills in an object: any other value becomes the one property of one. Definitions stay at the root, where references look. */
export function toFormSchema(schema: JsonObject): {
  readonly rules: RJSFSchema
  readonly isWrapped: boolean
} {
  const { title: _, ...rules } = schema as RJSFSchema // any object is a schema
  if (rules.type === 'object') return { rules, isWrapped: false }
  const { $defs, definitions, ...answer } = rules
  const wrapped: RJSFSchema = {
    type: 'object',
    properties: { [answerKey]: { title: 'Answer', ...answer } },
    required: [answerKey],
    ...($defs && { $defs }),
    ...(definitions && { definitions }),
  }
  return { rules: wrapped, isWrapped: true }
}

const answerOf = (value: FormValue, isWrapped: boolean): Json =>
  (isWrapped ? value[answerKey] : value) as Json // values of fields are JSON
