import type { HostedTools } from './hosted-tools.ts'
import type { Model } from '../ports/model.ts'

/** A model that can be called. */
export interface ResolvedModel {
  readonly model: Model
  /** `provider/model-id` */
  readonly name: string
  /** Tools that its provider runs itself. @default none */
  readonly hosted?: HostedTools | undefined
}

/** Models by their name: see `createModels`. */
export interface Models {
  /**
   * Gives a model. Its provider's package is loaded when it is asked for first.
   *
   * @param name `provider/model-id`, or a bare id with `provider`. What stands behind the first `/` belongs to the id.
   * @throws {RuntimeError} `model_not_configured` when the key or the package is missing, `validation_error` when the
   * provider is unknown.
   */
  resolve(name: string, provider: string | undefined, signal?: AbortSignal): Promise<ResolvedModel>
}
