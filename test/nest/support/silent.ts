import type { LoggerService } from '@nestjs/common';

/** A logger that keeps what it is told, and prints nothing. */
export class QuietLogger implements LoggerService {
  readonly lines: string[] = [];

  log = (message: unknown): void => this.keep('log', message);
  warn = (message: unknown): void => this.keep('warn', message);
  error = (message: unknown): void => this.keep('error', message);
  debug = (): void => undefined;
  verbose = (): void => undefined;
  fatal = (message: unknown): void => this.keep('fatal', message);

  private keep(level: string, message: unknown): void {
    this.lines.push(`${level}: ${String(message)}`);
  }
}
