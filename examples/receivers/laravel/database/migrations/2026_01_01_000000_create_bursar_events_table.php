<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration {
    public function up(): void
    {
        Schema::create('bursar_events', function (Blueprint $table) {
            $table->string('id', 64)->primary();
            $table->longText('body');
            $table->timestamp('received_at')->useCurrent();
            $table->timestamp('done_at')->nullable();
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('bursar_events');
    }
};
