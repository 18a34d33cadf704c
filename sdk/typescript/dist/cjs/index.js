"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.EventStream = exports.version = exports.ListRequest = exports.webhooks = exports.Bursar = void 0;
var client_ts_1 = require("./client.js");
Object.defineProperty(exports, "Bursar", { enumerable: true, get: function () { return client_ts_1.Bursar; } });
Object.defineProperty(exports, "webhooks", { enumerable: true, get: function () { return client_ts_1.webhooks; } });
__exportStar(require("./errors.js"), exports);
__exportStar(require("./generated.js"), exports);
var pages_ts_1 = require("./pages.js");
Object.defineProperty(exports, "ListRequest", { enumerable: true, get: function () { return pages_ts_1.ListRequest; } });
__exportStar(require("./resources.js"), exports);
var runtime_ts_1 = require("./runtime.js");
Object.defineProperty(exports, "version", { enumerable: true, get: function () { return runtime_ts_1.version; } });
var stream_ts_1 = require("./stream.js");
Object.defineProperty(exports, "EventStream", { enumerable: true, get: function () { return stream_ts_1.EventStream; } });
