/** A button below a message. */
export interface MessageButton {
  readonly label: string
  /** Command that a button press sends, such as `/approve ABCD2345`. At most 64 bytes. */
  readonly command: string
  /** Green or red, on a platform that has colors. @default neither */
  readonly style?: 'positive' | 'negative'
}

/** A press of a button. */
export interface ButtonPress {
  /** The platform's id of it, for `answerPress`. */
  readonly id: string
  /** Whether the platform shows that an answer is being written, until one comes. @default false */
  readonly needsAnswer?: boolean
}

/** Additional actions of a send. */
export interface NoticeOptions {
  /** To show below the part. A platform without buttons leaves them out: the text names their commands. */
  readonly buttons?: readonly MessageButton[]
  /** The platform's id of an earlier message that the part replaces, if the platform can: else it is a message of its own. */
  readonly replaces?: string
}
