"use strict";
/**
 * The types of amounts, and of the tables that say where amounts are.
 */
Object.defineProperty(exports, "__esModule", { value: true });
