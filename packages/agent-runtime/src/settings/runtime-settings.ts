import type { SettingKey, Settings, SettingsPatch, SettingsView } from '@homeward/contract/agent-platform'

/** Result of a change of the settings. */
export interface SettingsUpdate {
  /** Settings of the change that the environment sets too: they are saved, but it wins. */
  readonly overridden: readonly SettingKey[]
}

/** Settings of the operator. */
export interface RuntimeSettings {
  /** Settings with secrets: the environment over config.json. Sees a file that was edited by hand. */
  read(): Promise<Settings>
  /** Settings as they may be shown: secrets as `has_<key>` booleans, and what is configured. */
  view(): Promise<SettingsView>
  /**
   * Changes config.json. Absent keys keep their value, and `null` and `''` clear a key. Writes everything or nothing.
   *
   * @throws {RuntimeError} `validation_error` for an unknown key or a value that cannot be used.
   */
  update(patch: SettingsPatch): Promise<SettingsUpdate>
}
