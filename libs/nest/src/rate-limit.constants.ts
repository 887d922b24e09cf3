/** Keys under which the decorators leave what they were told. Shared by every copy of the package in the process. */
export const METHOD_METADATA: unique symbol = Symbol.for('nestjs-sluice/method@1') as never;
export const CLASS_METADATA: unique symbol = Symbol.for('nestjs-sluice/class@1') as never;
export const SLOT_METADATA: unique symbol = Symbol.for('nestjs-sluice/slot@1') as never;

/** Token of the application object, and the property through which a decorated instance finds its own. */
export const SLUICE_APPLICATION: unique symbol = Symbol.for('nestjs-sluice/application@1') as never;
